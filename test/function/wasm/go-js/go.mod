module fn

go 1.19
